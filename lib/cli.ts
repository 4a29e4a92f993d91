#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readHeader, readPayload, type Binding } from './inspect.js';
import { isOwnedMethod } from './protocol/parse.js';
import { generateKey, Keyring } from './seal/keyring.js';

const HELP = `Usage: express-mrtr <command>

Commands:
  keygen    Print a fresh key for MRTR_KEYS or the option "keys".
  inspect   Print what a requestState on standard input holds, opened with the keys in MRTR_KEYS.

Options of inspect, which name the request that the state was sealed for; without them the header alone is printed:
  --audience <text>   The option "audience" of mrtr(), by default the server's name.
  --method <method>   tools/call, prompts/get or resources/read.
  --target <text>     The name of the tool or prompt, or the URI of the resource.
  --subject <text>    The principal, as "principal" or Passport gave it,
  --issuer <text>       with its issuer
  --client <text>       and its client, if it has them.
  --anonymous         There was no principal.
  --show-answers      Print answers instead of <redacted>.

Options:
  --help    Print this text.
`;

const INSPECT_OPTIONS = {
  audience: { type: 'string' },
  method: { type: 'string' },
  target: { type: 'string' },
  subject: { type: 'string' },
  issuer: { type: 'string' },
  client: { type: 'string' },
  anonymous: { type: 'boolean' },
  'show-answers': { type: 'boolean' },
} as const;

try {
  process.stdout.write(run(process.argv.slice(2)));
} catch (error) {
  const [problem = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  process.stderr.write(`express-mrtr: ${problem.replace(/\.$/, '')}; see express-mrtr --help\n`);
  process.exitCode = 1;
}

function run([command, ...rest]: readonly string[]): string {
  switch (command) {
    case 'keygen':
      alone(command, rest);
      return `${generateKey()}\n`;
    case 'inspect':
      return `${inspect(rest).join('\n')}\n`;
    case '--help':
    case '-h':
      alone(command, rest);
      return HELP;
    case undefined:
      throw new Error('a command is missing');
    default:
      throw new Error(`${JSON.stringify(command)} is not a command`);
  }
}

function alone(command: string, rest: readonly string[]): void {
  if (rest.length > 0) throw new Error(`${JSON.stringify(command)} takes no arguments`);
}

function inspect(args: readonly string[]): readonly string[] {
  const { values } = parseArgs({ args: [...args], options: INSPECT_OPTIONS });
  const binding = bindingFrom(values);
  const keys = process.env['MRTR_KEYS'];
  if (keys === undefined) throw new Error('MRTR_KEYS is not set');
  const keyring = Keyring.from(keys, 'MRTR_KEYS');
  const token = readFileSync(0, 'utf8').trim();
  const header = readHeader(token, keyring);
  if (header === undefined) throw new Error('standard input holds no requestState');
  if (binding === undefined) {
    return [...header.lines, 'payload     needs --audience, --method, --target and --subject or --anonymous'];
  }
  if (!header.known) throw new Error(`no key in MRTR_KEYS has the id ${header.keyId}`);
  const showing = { now: Date.now(), answers: values['show-answers'] ?? false };
  const payload = readPayload(token, keyring, binding, showing);
  if (payload !== undefined) return [...header.lines, ...payload];
  throw new Error(
    'the state does not open: it was sealed for another audience, method, target or principal, or it was changed',
  );
}

type Values = ReturnType<typeof parseArgs<{ options: typeof INSPECT_OPTIONS }>>['values'];

/** `undefined` when no part of a binding is given. */
function bindingFrom({ audience, method, target, subject, issuer, client, anonymous }: Values): Binding | undefined {
  const given = [audience, method, target, subject, issuer, client, anonymous];
  if (given.every((value) => value === undefined)) return undefined;
  if (audience === undefined) throw new Error('--audience is missing');
  if (method === undefined) throw new Error('--method is missing');
  if (!isOwnedMethod(method)) {
    throw new Error(`--method must be tools/call, prompts/get or resources/read; got ${JSON.stringify(method)}`);
  }
  if (target === undefined) throw new Error('--target is missing');
  if (anonymous === true) {
    if (subject === undefined && issuer === undefined && client === undefined) {
      return { audience, method, target, principal: null };
    }
    throw new Error('--anonymous goes without --subject, --issuer and --client');
  }
  if (subject === undefined) throw new Error('--subject or --anonymous is missing');
  const principal = { subject, ...(issuer !== undefined && { issuer }), ...(client !== undefined && { client }) };
  return { audience, method, target, principal };
}
