import { tool, type MrtrHandler, type ToolDefinition } from 'express-mrtr';

type Notifier = MrtrHandler['notify'];

/** Tools that tell subscribers of a change. The notifier belongs to the handler that these tools are part of. */
export function triggers(notifier: () => Notifier): readonly ToolDefinition[] {
  return [
    tool('test_trigger_tool_change', { description: 'Announces that the tools changed' }, () => {
      notifier().toolsChanged();
      return 'The change of the tools was announced.';
    }),
    tool('test_trigger_prompt_change', { description: 'Announces that the prompts changed' }, () => {
      notifier().promptsChanged();
      return 'The change of the prompts was announced.';
    }),
  ];
}
