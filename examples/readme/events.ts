// #region refused
import { subscribe } from 'node:diagnostics_channel';
import type { RefusedEvent } from 'express-mrtr';

subscribe('mrtr:refused', (message) => {
  const { reason, method, target, flowId } = message as RefusedEvent;
  console.warn(JSON.stringify({ event: 'mrtr:refused', reason, method, target, flowId }));
});
// #endregion
