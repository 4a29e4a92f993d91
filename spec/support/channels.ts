import { hasSubscribers } from 'node:diagnostics_channel';

// Channels belong to the process, so a listener that a file leaves behind would hear the events of the files after it.
afterAll(() => {
  const left = ['mrtr:round', 'mrtr:refused', 'mrtr:warning', 'mrtr:error'].filter((name) => hasSubscribers(name));
  if (left.length > 0) throw new Error(`this file left listeners on ${left.join(', ')}`);
});
