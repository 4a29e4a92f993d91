import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { field, form, generateKey, prompt, tool } from '../lib/index.js';
import { Keyring } from '../lib/seal/keyring.js';
import { askOf, closeAll, KEY, OTHER_KEY, rig } from './support/http.js';

// Compiled once: a process that compiles for itself takes ten times as long to start.
const folder = mkdtempSync(join(tmpdir(), 'cli-'));
const CLI = join(folder, 'cli.mjs');

beforeAll(() => {
  const source = join(__dirname, '..', 'lib', 'cli.ts');
  buildSync({ entryPoints: [source], outfile: CLI, bundle: true, platform: 'node', format: 'esm' });
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Run {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function cli(...args: string[]): Run {
  return run(args);
}

function run(args: readonly string[], input = '', keys: string | undefined = KEY): Run {
  const { MRTR_KEYS: _keys, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], {
    env: { ...env, ...(keys !== '' && { MRTR_KEYS: keys }) },
    encoding: 'utf8',
    input,
  });
  return { status, stdout, stderr };
}

function refusal(problem: string): Run {
  return { status: 1, stdout: '', stderr: `express-mrtr: ${problem}; see express-mrtr --help\n` };
}

describe('the command express-mrtr', () => {
  it('prints one fresh key that a keyring accepts', () => {
    const { status, stdout, stderr } = cli('keygen');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^mrtrk_[\w-]{43}\n$/);
    expect(() => Keyring.from(stdout.trim())).not.toThrow();
  });

  it('never prints the same key twice', () => {
    expect(cli('keygen').stdout).not.toBe(cli('keygen').stdout);
  });

  it.each(['--help', '-h'])('explains itself under %s', (option) => {
    const { status, stdout, stderr } = cli(option);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^Usage: express-mrtr <command>\n[^]*keygen[^]*inspect[^]*--show-answers[^]*--help/);
  });

  it.each([
    [[], 'a command is missing'],
    [['keygne'], '"keygne" is not a command'],
    [['KEYGEN'], '"KEYGEN" is not a command'],
    [['line\nbreak'], '"line\\nbreak" is not a command'],
    [['keygen', '--json'], '"keygen" takes no arguments'],
    [['--help', 'keygen'], '"--help" takes no arguments'],
  ])('refuses %j with one line on stderr', (args, problem) => {
    expect(cli(...args)).toEqual(refusal(problem));
  });
});

describe('express-mrtr inspect', () => {
  const SECRET = 'SENTINEL-ANSWER';
  const NAME = form({ name: field.string() });
  const ORDER = ['--audience', 'test', '--method', 'tools/call', '--target', 'order'];
  const ANN = [...ORDER, '--subject', 'ann', '--issuer', 'https://id.example', '--client', 'app'];
  let first = '';
  let second = '';
  let long = '';
  let nobodys = '';

  beforeAll(async () => {
    const order = tool('order', {}, async (_args, ctx) => {
      await ctx.elicit({ message: 'Name?', form: NAME });
      await ctx.elicitUrl({ key: 'log in', message: 'Log in.', url: 'https://shop.example/' });
      return 'Ordered.';
    });
    const ask = prompt('ask', {}, async (_args, ctx) => String(await ctx.confirm('Sure?')));
    const user = { sub: 'ann', iss: 'https://id.example', azp: 'app' };
    const { tool: call } = await rig({ tools: [order], user: () => user });
    const more = { capabilities: { elicitation: { form: {}, url: {} } } };
    const args = { note: 'a\u009b31m\u202e' };
    first = askOf(await call('order', args, {}, more)).state;
    const inputResponses = { 'elicit-1': { action: 'accept', content: { name: SECRET } } };
    second = askOf(await call('order', args, { requestState: first, inputResponses }, more)).state;
    long = askOf(await call('order', { note: 'x'.repeat(5000) }, {}, more)).state;
    const anonymous = await rig({ prompts: [ask], user: () => undefined, anonymous: true, audience: 'open' });
    nobodys = askOf(await anonymous.call('prompts/get', { name: 'ask' })).state;
  });
  afterAll(closeAll);

  it('shows the header alone without the request, and says what it needs', () => {
    const { status, stdout, stderr } = run(['inspect'], `${second}\n`);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const keyId = second.split('.')[1] ?? '';
    const bytes = Buffer.from(second.split('.')[2] ?? '', 'base64url').length;
    expect(stdout.split('\n')).toEqual([
      'version     mrtr1',
      `key id      ${keyId}, of a key in MRTR_KEYS`,
      `size        ${second.length} characters`,
      'nonce       24 bytes',
      `ciphertext  ${bytes - 40} bytes`,
      'tag         16 bytes',
      'payload     needs --audience, --method, --target and --subject or --anonymous',
      '',
    ]);
    expect(run(['inspect'], second, OTHER_KEY).stdout).toContain(`${keyId}, of none of the keys in MRTR_KEYS`);
    expect(run(['inspect'], second, `${OTHER_KEY}, ${KEY}`).stdout).toContain(`${keyId}, of a key in MRTR_KEYS`);
  });

  it('shows the payload to whoever knows the request, answers redacted', () => {
    const { status, stdout, stderr } = run(['inspect', ...ANN], second);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout.split('\n').slice(6)).toEqual([
      expect.stringMatching(/^flow {8}[\w-]{22}$/),
      'rounds      1 with an answer',
      expect.stringMatching(/^started {5}20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z, \d+ s ago$/),
      expect.stringMatching(/^issued {6}20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z, \d+ s ago$/),
      'params      {"arguments":{"note":"a\\u{9b}31m\\u{202e}"},"name":"order"}',
      'questions   2',
      expect.stringMatching(
        /^ {2}"elicit-1" elicit, answered, unusable answers: 0, fingerprint: [\w-]{22}, answer: <redacted>$/,
      ),
      expect.stringMatching(/^ {2}"log in" url, open, unusable answers: 0, fingerprint: [\w-]{22}$/),
      '',
    ]);
    expect(stdout).not.toContain(SECRET);
    expect(stdout).not.toContain('mrtrk_');
  });

  it('shows answers only when told to', () => {
    const { stdout } = run(['inspect', ...ANN, '--show-answers'], second);
    expect(stdout).toContain(`, answer: {"name":"${SECRET}"}\n`);
    expect(run(['inspect', '--show-answers'], second).stdout).not.toContain(SECRET);
  });

  it('shows the digest of long parameters', () => {
    expect(run(['inspect', ...ANN], long).stdout).toMatch(/\nparams {6}SHA-256 [\w-]{43}\n/);
  });

  it('opens a state of nobody, and one under an older key', () => {
    const request = ['--audience', 'open', '--method', 'prompts/get', '--target', 'ask', '--anonymous'];
    expect(run(['inspect', ...request], nobodys).stdout).toContain('rounds      0 with an answer');
    expect(run(['inspect', ...ANN], first, `${OTHER_KEY},${KEY}`).stdout).toContain('questions   1');
  });

  const UNOPENED =
    'the state does not open: it was sealed for another audience, method, target or principal, or it was changed';

  it.each([
    ['another audience', [...ANN, '--audience', 'shop'], UNOPENED],
    ['another method', [...ANN, '--method', 'prompts/get'], UNOPENED],
    ['another target', [...ANN, '--target', 'Order'], UNOPENED],
    ['another subject', [...ANN, '--subject', 'bob'], UNOPENED],
    ['no client', [...ORDER, '--subject', 'ann', '--issuer', 'https://id.example'], UNOPENED],
    ['nobody', [...ORDER, '--anonymous'], UNOPENED],
    ['half a request', ['--audience', 'test'], '--method is missing'],
    ['no audience', ['--target', 'order'], '--audience is missing'],
    ['no target', ORDER.slice(0, 4), '--target is missing'],
    ['no principal', ORDER, '--subject or --anonymous is missing'],
    ['two principals', [...ANN, '--anonymous'], '--anonymous goes without --subject, --issuer and --client'],
    [
      'an unknown method',
      [...ANN, '--method', 'tools/list'],
      '--method must be tools/call, prompts/get or resources/read; got "tools/list"',
    ],
  ])('refuses %s with one line', (_name, args, problem) => {
    expect(run(['inspect', ...args], second)).toEqual(refusal(problem));
  });

  it.each([
    ['nothing', () => ''],
    ['something else', () => 'mrtr1.abc'],
    ['a line more', () => `${second}\n${second}`],
    ['another spelling', () => `${second}=`],
    ['binary', () => '\u0000\u0001'],
  ])('refuses %s on standard input with one line', (_name, input) => {
    expect(run(['inspect'], input())).toEqual(refusal('standard input holds no requestState'));
  });

  it('refuses a state that was changed, and one of an unknown key', () => {
    const changed = `${second.slice(0, 60)}${second[60] === 'A' ? 'B' : 'A'}${second.slice(61)}`;
    expect(run(['inspect', ...ANN], changed)).toEqual(refusal(UNOPENED));
    const problem = `no key in MRTR_KEYS has the id ${second.split('.')[1] ?? ''}`;
    expect(run(['inspect', ...ANN], second, generateKey())).toEqual(refusal(problem));
  });

  it('refuses keys that are missing or none, and shows nothing of them', () => {
    expect(run(['inspect'], second, '')).toEqual(refusal('MRTR_KEYS is not set'));
    const { status, stdout, stderr } = run(['inspect'], second, 'mrtrk_c2hvcnQ');
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^express-mrtr: "MRTR_KEYS" holds 5 bytes; a key needs at least 32\. .*\n$/);
    expect(stderr).not.toContain('c2hvcnQ');
  });

  it('refuses unknown options with one line', () => {
    const { status, stdout, stderr } = run(['inspect', '--key', KEY], second);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^express-mrtr: Unknown option '--key'[^\n]*\n$/);
    expect(stderr).not.toContain(KEY);
    expect(run(['inspect', first], second)).toMatchObject({ status: 1, stdout: '' });
  });
});
