import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as surface from '../lib/index.js';
import type { MrtrErrorCode, MrtrOptions } from '../lib/index.js';
import * as sdk from '../lib/sdk.js';
import * as testing from '../lib/testing/index.js';

const read = (...path: string[]): string => readFileSync(join(__dirname, '..', ...path), 'utf8');

// Both tables are complete by compilation: a name that the union gains or loses makes them an error of tsc.
const CODES: Record<MrtrErrorCode, true> = {
  ERR_MRTR_OPTION: true,
  ERR_MRTR_DEFINITION: true,
  ERR_MRTR_SCHEMA: true,
  ERR_MRTR_QUESTION: true,
  ERR_MRTR_STEP: true,
  ERR_MRTR_DUPLICATE_KEY: true,
  ERR_MRTR_DUPLICATE_QUESTION: true,
  ERR_MRTR_ROUND_OVER: true,
  ERR_MRTR_LEDGER_MISMATCH: true,
  ERR_MRTR_TOO_MANY_REJECTIONS: true,
  ERR_MRTR_ATTEMPTS: true,
  ERR_MRTR_CAPABILITY: true,
  ERR_MRTR_PRINCIPAL: true,
  ERR_MRTR_UNAUTHENTICATED: true,
  ERR_MRTR_HANDLER: true,
  ERR_MRTR_HANDLER_TIMEOUT: true,
  ERR_MRTR_RESULT: true,
  ERR_MRTR_OUTPUT_SCHEMA: true,
  ERR_MRTR_TOOL: true,
  ERR_MRTR_RESOURCE_NOT_FOUND: true,
  ERR_MRTR_CODEC: true,
  ERR_MRTR_KEYS: true,
  ERR_MRTR_STORE: true,
  ERR_MRTR_MAILBOX: true,
  ERR_MRTR_SESSION: true,
  ERR_MRTR_SESSION_EXPIRED: true,
  ERR_MRTR_REQUEST_ID: true,
  ERR_MRTR_CLIENT: true,
  ERR_MRTR_ELICITATION_TIMEOUT: true,
  ERR_MRTR_SAMPLING_TIMEOUT: true,
  ERR_MRTR_STATE_TOO_LARGE: true,
  ERR_MRTR_STATE_MALFORMED: true,
  ERR_MRTR_STATE_UNKNOWN_KEY: true,
  ERR_MRTR_STATE_UNVERIFIED: true,
  ERR_MRTR_STATE_EXPIRED: true,
  ERR_MRTR_STATE_FLOW_EXPIRED: true,
  ERR_MRTR_STATE_FUTURE: true,
  ERR_MRTR_STATE_PARAMS: true,
  ERR_MRTR_STATE_ROUNDS: true,
  ERR_MRTR_STATE_SPENT: true,
  ERR_MRTR_STATE_IN_FLIGHT: true,
  ERR_MRTR_INTERNAL: true,
};

const OPTIONS: Record<keyof MrtrOptions, true> = {
  server: true,
  tools: true,
  prompts: true,
  resources: true,
  keys: true,
  principal: true,
  anonymous: true,
  audience: true,
  ttlSeconds: true,
  maxFlowSeconds: true,
  clockSkewSeconds: true,
  maxRounds: true,
  maxAttempts: true,
  handlerTimeoutSeconds: true,
  maxStateBytes: true,
  onLedgerMismatch: true,
  replay: true,
  codec: true,
  path: true,
  fallthrough: true,
  bodyLimit: true,
  allowedHosts: true,
  allowedOrigins: true,
  legacy: true,
  exposeErrors: true,
  checkDeterminism: true,
  onError: true,
};

describe('the public surface', () => {
  it('exports these names and no other', () => {
    expect(Object.keys(surface).sort()).toEqual([
      'ElicitationTimeoutError',
      'LedgerMismatchError',
      'MemoryMailbox',
      'MemoryReplayStore',
      'MrtrError',
      'MrtrRangeError',
      'MrtrTypeError',
      'RedisMailbox',
      'RedisReplayStore',
      'ResourceNotFoundError',
      'SamplingTimeoutError',
      'ToolError',
      'field',
      'form',
      'fromAuthInfo',
      'fromPassport',
      'generateKey',
      'keyring',
      'mrtr',
      'mrtrErrors',
      'prompt',
      'resource',
      'resourceTemplate',
      'tool',
    ]);
  });

  it('exports these names for tests and no other', () => {
    expect(Object.keys(testing).sort()).toEqual([
      'accept',
      'cancel',
      'codecContract',
      'decline',
      'expectDeterministic',
      'fakeClock',
      'keyProviderContract',
      'leave',
      'mailboxContract',
      'replayStoreContract',
      'testClient',
      'testKeys',
      'testMrtr',
    ]);
  });

  it("exports these names for the SDK's servers and no other", () => {
    expect(Object.keys(sdk).sort()).toEqual([
      'LedgerMismatchError',
      'MrtrError',
      'MrtrRangeError',
      'MrtrTypeError',
      'ResourceNotFoundError',
      'ToolError',
      'field',
      'form',
      'fromAuthInfo',
      'generateKey',
      'keyring',
      'sdkMrtr',
    ]);
  });

  it('knows these error codes and no other', () => {
    const union = /export type MrtrErrorCode =([^;]*);/.exec(read('lib', 'errors.ts'))?.[1] ?? '';
    expect(Array.from(union.matchAll(/'(\w+)'/g), ([, code]) => code).sort()).toEqual(Object.keys(CODES).sort());
  });

  it('takes these options and no other', () => {
    const refuse = (): unknown =>
      surface.mrtr({ server: { name: 'shop', version: '1.0.0' }, nope: true } as MrtrOptions);
    expect(refuse).toThrow(`it takes ${Object.keys(OPTIONS).join(', ')}`);
  });

  it('lets only the entries and the manifest be imported', () => {
    const manifest = JSON.parse(read('package.json')) as Record<string, object>;
    expect(Object.keys(manifest['exports'] ?? {})).toEqual(['.', './testing', './sdk', './package.json']);
    expect(manifest['bin']).toEqual({ 'express-mrtr': './dist/esm/cli.js' });
    expect(manifest['files']).toEqual(['dist', 'CHANGELOG.md', 'SECURITY.md']);
    expect(manifest['peerDependencies']).toEqual({
      '@types/express': '^4.17.0 || ^5.0.0',
      express: '^4.18.0 || ^5.0.0',
    });
    expect(Object.keys(manifest['dependencies'] ?? {})).toEqual([
      '@modelcontextprotocol/node',
      '@modelcontextprotocol/server',
      'body-parser',
    ]);
  });
});
