import { field, form, keyring, prompt, resource, tool, type Context } from '../../lib/index.js';
import { askOf, closeAll, eventsOf, EXPRESSES, KEY, OTHER_KEY, rig, textOf, YES, type Rig } from '../support/http.js';

afterAll(closeAll);

const SURE = form({ confirm: field.boolean() });

describe.each(EXPRESSES)('steps over HTTP on %s', (_name, express) => {
  it('run once in a flow that every round finds another node for, also across a rotation of the keys', async () => {
    const loads: string[] = [];
    const handler = (node: string) => async (_args: unknown, ctx: Context) => {
      const order = await ctx.step('load', () => (loads.push(node), { total: 7, by: node }));
      const key = ctx.idempotencyKey('refund');
      const first = await ctx.elicit({ message: `Refund ${order.total} of ${order.by}?`, form: SURE });
      const noted = await ctx.step('note', () => (loads.push(`${node} noted`), first.action));
      const second = await ctx.elicit({ message: 'Really?', form: SURE });
      return JSON.stringify([order.by, noted, second.action, key === ctx.idempotencyKey('refund'), key]);
    };
    const node = (name: string, ...keys: string[]): Promise<Rig> =>
      rig({ express, tools: [tool('refund', {}, handler(name))], keys: keyring(keys) });
    const [one, two, three] = [
      await node('one', KEY),
      await node('two', OTHER_KEY, KEY),
      await node('three', OTHER_KEY),
    ];

    const first = askOf(await one.tool('refund'));
    expect(first.requests['elicit-1']?.params['message']).toBe('Refund 7 of one?');
    const second = askOf(
      await two.tool('refund', {}, { requestState: first.state, inputResponses: { 'elicit-1': YES } }),
    );
    const text = textOf(
      await three.tool('refund', {}, { requestState: second.state, inputResponses: { 'elicit-2': YES } }),
    );
    expect(JSON.parse(text)).toEqual(['one', 'accept', 'accept', true, expect.stringMatching(/^[\w-]{43}$/)]);
    expect(loads).toEqual(['one', 'two noted']);
  });

  it('give an idempotency key that is the same in every round, another for another label or flow, and never on the wire', async () => {
    const keys: string[] = [];
    const seen: string[] = [];
    const run = async (_args: unknown, ctx: Context): Promise<string> => {
      keys.push(ctx.idempotencyKey('a'), ctx.idempotencyKey('b'));
      return (await ctx.confirm('Sure?')) ? 'yes' : 'no';
    };
    const { call } = await rig({
      express,
      tools: [tool('run', {}, run)],
      prompts: [prompt('run', {}, run)],
      resources: [resource('run', 'test://run', {}, (_uri, ctx) => run({}, ctx))],
    });
    for (const [method, params] of [
      ['tools/call', { name: 'run' }],
      ['prompts/get', { name: 'run' }],
      ['resources/read', { uri: 'test://run' }],
      ['tools/call', { name: 'run' }],
    ] as const) {
      const asked = await call(method, params);
      const { state } = askOf(asked);
      const done = await call(method, { ...params, requestState: state, inputResponses: { 'elicit-1': YES } });
      const [a = '', b = '', ...again] = keys.splice(0);
      expect(again).toEqual([a, b]);
      expect(a).not.toBe(b);
      for (const reply of [asked.text, done.text]) expect(reply.includes(a) || reply.includes(b)).toBe(false);
      seen.push(a, b);
    }
    expect(new Set(seen).size).toBe(8);
  });
  it('whose results outgrow the state end the flow, and the operator reads which is the biggest', async () => {
    const errors: unknown[] = [];
    const { tool: post } = await rig({
      express,
      maxStateBytes: 2000,
      tools: [
        tool('run', {}, async (_args, ctx) => {
          await ctx.step('small', () => 'x');
          await ctx.step('list', () => 'y'.repeat(3000));
          return (await ctx.confirm('Sure?')) ? 'yes' : 'no';
        }),
      ],
      onError: (error) => void errors.push(error),
    });
    expect((await post('run')).body).toMatchObject({ error: { code: -32603 } });
    expect(errors).toMatchObject([
      {
        code: 'ERR_MRTR_STATE_TOO_LARGE',
        message: expect.stringContaining(
          'Its 2 steps are part of it, the biggest "list" (1 times, 3006 bytes): return less from them. ',
        ),
      },
    ]);
  });

  it('C63 let 20 polls of a link pass without using up rounds', async () => {
    let paid = false;
    let runs = 0;
    const { tool: post } = await rig({
      express,
      maxRounds: 2,
      tools: [
        tool('pay', {}, async (_args, ctx) => {
          runs += 1;
          const { action } = await ctx.elicitUrl({ message: 'Pay.', url: 'https://pay.example/7', until: () => paid });
          return `${action} in round ${ctx.round}`;
        }),
      ],
    });
    const capabilities = { elicitation: { url: {} } };
    const first = await post('pay', {}, {}, { capabilities });
    let { state } = askOf(first);
    const consent = { 'elicit-1': { action: 'accept', content: { paid: true } } };
    for (let poll = 0; poll < 20; poll++) {
      const reply = await post('pay', {}, { requestState: state, inputResponses: consent }, { capabilities });
      expect(JSON.stringify(reply.body)).not.toContain('elicitationId');
      ({ state } = askOf(reply));
    }
    paid = true;
    const done = await post('pay', {}, { requestState: state, inputResponses: consent }, { capabilities });
    expect(textOf(done)).toBe('accept in round 2');
    expect(runs).toBe(22);
  });

  it('serve clients of earlier revisions as long as nothing is asked', async () => {
    let runs = 0;
    const { post } = await rig({
      express,
      tools: [
        tool('run', {}, async (_args, ctx) => {
          const n = await ctx.step('count', () => ++runs);
          return `${n} ${ctx.idempotencyKey('a').length}`;
        }),
      ],
    });
    const reply = await post(
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'run', arguments: {} } },
      { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    );
    expect(reply.text).toContain('1 43');
    expect(runs).toBe(1);
  });
});

describe('checkDeterminism', () => {
  const asking = (message: () => string, ran: { runs: number; steps: number }) =>
    tool('run', {}, async (args, ctx) => {
      ran.runs += 1;
      args['seen'] = true;
      const n = await ctx.step('step', () => ++ran.steps);
      const sure = await ctx.confirm(message(), { key: 'sure' });
      return `${n} ${sure}`;
    });

  it('warns when the second execution of a round asks something else, and names the question', async () => {
    const ran = { runs: 0, steps: 0 };
    let n = 0;
    const served = await rig({ tools: [asking(() => `Number ${++n}?`, ran)], checkDeterminism: true });
    const warnings = await eventsOf('mrtr:warning', async () => {
      expect(askOf(await served.tool('run')).requests['sure']?.params['message']).toBe('Number 1?');
    });
    expect(warnings).toMatchObject([
      {
        warning: 'nondeterminism',
        questions: [
          { key: 'sure', kind: 'elicit' },
          { key: 'sure', kind: 'elicit' },
        ],
        advice: expect.stringContaining('Fix what differs'),
      },
    ]);
    expect(JSON.stringify(warnings)).not.toContain('Number');
    expect(ran).toEqual({ runs: 2, steps: 1 });
  });

  it('is silent for a handler that asks the same, and runs a completing round once', async () => {
    const ran = { runs: 0, steps: 0 };
    const served = await rig({ tools: [asking(() => 'Sure?', ran)], checkDeterminism: true });
    const warnings = await eventsOf('mrtr:warning', async () => {
      const { state } = askOf(await served.tool('run', { a: 1 }));
      expect(ran).toEqual({ runs: 2, steps: 1 });
      const done = await served.tool('run', { a: 1 }, { requestState: state, inputResponses: { sure: YES } });
      expect(textOf(done)).toBe('1 true');
    });
    expect(warnings).toEqual([]);
    expect(ran).toEqual({ runs: 3, steps: 1 });
  });

  it('starts no step in the second execution that the first did not record', async () => {
    let runs = 0;
    let paid = 0;
    const served = await rig({
      tools: [
        tool('run', {}, async (_args, ctx) => {
          if (++runs !== 2) await ctx.confirm('Sure?');
          await ctx.step('pay', () => ++paid);
          return 'paid';
        }),
      ],
      checkDeterminism: true,
    });
    const warnings = await eventsOf('mrtr:warning', async () => {
      askOf(await served.tool('run'));
    });
    expect(warnings).toMatchObject([{ warning: 'nondeterminism', questions: [{ key: 'elicit-1' }] }]);
    expect([runs, paid]).toEqual([2, 0]);
  });

  it('gives the second execution its arguments as they came', async () => {
    const seen: unknown[] = [];
    const served = await rig({
      tools: [
        tool('run', { inputSchema: { type: 'object' } }, async (args, ctx) => {
          seen.push(JSON.stringify(args));
          (args as { list: unknown[] }).list.push('changed');
          return String(await ctx.confirm('Sure?'));
        }),
      ],
      checkDeterminism: true,
    });
    askOf(await served.tool('run', { list: [1] }));
    expect(seen).toEqual(['{"list":[1]}', '{"list":[1]}']);
  });

  it('is off by default', async () => {
    const ran = { runs: 0, steps: 0 };
    const served = await rig({ tools: [asking(() => 'Sure?', ran)] });
    askOf(await served.tool('run'));
    expect(ran.runs).toBe(1);
  });
});
