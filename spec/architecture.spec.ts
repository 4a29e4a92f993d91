import { join } from 'node:path';
import { cycles, edgesOf, forbidden, modulesOf, oversized, type Edge } from './support/architecture.js';

const modules = modulesOf(join(__dirname, '..', 'lib'));
const edges = modules.flatMap((module) => module.edges);

/** `from -> to` at run time, `from => to` for types alone. */
function edge(text: string): Edge {
  const [from = '', arrow, to = ''] = text.split(' ');
  return { from, to, typeOnly: arrow === '=>' };
}

describe('the layout of lib/', () => {
  it('has no forbidden import', () => {
    expect(forbidden(edges)).toEqual([]);
  });

  it('has no import cycle at run time', () => {
    expect(cycles(edges)).toEqual([]);
  });

  it('keeps every file within 250 lines and the median within 100', () => {
    expect(oversized(modules)).toEqual([]);
  });

  it('is walked as a whole', () => {
    const names = new Set(modules.map(({ name }) => name));
    const internal = edges.filter(({ to }) => to.startsWith('/'));
    expect(internal.filter(({ to }) => !names.has(to))).toEqual([]);
    expect(internal.length).toBeGreaterThan(modules.length);
    for (const text of ['/hosts/express => express', '/seal/xaes -> node:crypto', '/index -> /hosts/express']) {
      expect(edges).toContainEqual(edge(text));
    }
  });
});

describe('the check of imports', () => {
  it.each([
    ['/errors -> /protocol/wire', 'it may import nothing'],
    ['/errors => /principal', 'it may import nothing'],
    ['/errors -> node:util', 'it may import nothing'],
    ['/principal => /options', 'it may import /errors'],
    ['/protocol/schema -> /elicitation/content', 'it may import /protocol/, /errors'],
    ['/protocol/parse => /engine/question', 'it may import /protocol/, /errors'],
    ['/seal/codec => /protocol/wire', 'it may import /seal/, /errors'],
    ['/stores/memory -> /seal/codec', 'it may import /stores/, /errors'],
    [
      '/elicitation/form -> /protocol/parse',
      'it may import /elicitation/, /protocol/wire, /protocol/standard, /errors',
    ],
    ['/engine/engine -> /seal/codec', 'it may import /engine/, /elicitation/, /protocol/, /errors'],
    ['/engine/engine => /stores/store', 'it may import /engine/, /elicitation/, /protocol/, /errors'],
    ['/engine/context => /hosts/express', 'it may import /engine/, /elicitation/, /protocol/, /errors'],
    ['/engine/engine => /options', 'it may import /engine/, /elicitation/, /protocol/, /errors'],
    [
      '/legacy/session -> /hosts/state',
      'it may import /legacy/, /engine/, /protocol/, /seal/, /errors, /events, /principal, /stores/checks',
    ],
    [
      '/legacy/memory-mailbox => /stores/memory',
      'it may import /legacy/, /engine/, /protocol/, /seal/, /errors, /events, /principal, /stores/checks',
    ],
    ['/legacy/session -> node:crypto', 'only /seal/ and /engine/fingerprint may'],
    ['/options -> /hosts/express', 'only /hosts/, /index, /sdk, /testing/, /inspect compose'],
    ['/cli -> /hosts/state', 'only /hosts/, /index, /sdk, /testing/, /inspect compose'],
    [
      '/options => /hosts/flow',
      'of /hosts/ only the types of /hosts/express are for others, and only for /definitions, /catalog, /options, /option-types',
    ],
    [
      '/events => /hosts/express',
      'of /hosts/ only the types of /hosts/express are for others, and only for /definitions, /catalog, /options, /option-types',
    ],
    ['/hosts/flow => express', 'only /hosts/express and /testing/client-app may'],
    ['/options => express/lib/request', 'only /hosts/express and /testing/client-app may'],
    ['/engine/context => @modelcontextprotocol/server', 'only /hosts/ and /protocol/ may'],
    ['/catalog -> @modelcontextprotocol/node', 'only /hosts/ and /protocol/ may'],
    ['/hosts/state -> node:crypto', 'only /seal/ and /engine/fingerprint may'],
    ['/engine/ledger -> crypto', 'only /seal/ and /engine/fingerprint may'],
  ])('forbids %s', (text, reason) => {
    const bad = edge(text);
    expect(forbidden([bad])).toEqual([`${bad.from} imports ${bad.to}: ${reason}`]);
  });

  it.each([
    '/index -> /hosts/express',
    '/index => /hosts/notifier',
    '/inspect -> /hosts/state',
    '/hosts/flow -> /engine/engine',
    '/hosts/flow -> /hosts/reply',
    '/hosts/legacy-call -> /legacy/session',
    '/legacy/sealing -> /seal/provided-codec',
    '/legacy/redis-mailbox -> /stores/checks',
    '/hosts/express => express',
    '/definitions => /hosts/express',
    '/elicitation/content => /protocol/standard',
    '/engine/fingerprint -> node:crypto',
    '/events -> node:diagnostics_channel',
    '/hosts/body -> express-serve-static',
  ])('allows %s', (text) => {
    expect(forbidden([edge(text)])).toEqual([]);
  });

  it('sees every way to import', () => {
    const source = `
      import { a } from './a.js';
      import type { B } from '../b.js';
      import { type C } from './c.js';
      import './d.js';
      import e = require('./e.js');
      export { f } from './f.js';
      export type { G } from './g.js';
      export * from 'h';
      type I = import('./i.js').I;
      const j = async () => import('./j.js');
      const k = require(\`k\`);
    `;
    expect(edgesOf('/hosts/x', source)).toEqual(
      [
        '/hosts/x -> /hosts/a',
        '/hosts/x => /b',
        '/hosts/x -> /hosts/c',
        '/hosts/x -> /hosts/d',
        '/hosts/x -> /hosts/e',
        '/hosts/x -> /hosts/f',
        '/hosts/x => /hosts/g',
        '/hosts/x -> h',
        '/hosts/x => /hosts/i',
        '/hosts/x -> /hosts/j',
        '/hosts/x -> k',
      ].map(edge),
    );
  });

  it('finds a cycle at run time, and lets one of types be', () => {
    const line = ['/a -> /b', '/b -> /c', '/a -> /c'];
    expect(cycles(line.map(edge))).toEqual([]);
    expect(cycles([...line, '/c => /a'].map(edge))).toEqual([]);
    expect(cycles([...line, '/c -> /b'].map(edge))).toEqual(['/b > /c > /b']);
    expect(cycles([edge('/a -> /a')])).toEqual(['/a > /a']);
  });

  it('finds what is too long', () => {
    const sizes = (...lines: number[]) => oversized(lines.map((each, at) => ({ name: `/m${at}`, lines: each })));
    expect(sizes(250, 100, 10)).toEqual([]);
    expect(sizes(251, 100, 10)).toEqual(['/m0 has 251 lines']);
    expect(sizes(101, 101, 10)).toEqual(['the median file has 101 lines']);
  });
});
