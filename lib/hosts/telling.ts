import type { Telling } from '../engine/context.js';
import { LOG_LEVELS } from '../protocol/parse.js';
import type { LoggingLevel, RequestId } from '../protocol/wire.js';

export interface TellingInput {
  readonly progressToken: RequestId | undefined;
  readonly logLevel: LoggingLevel | undefined;
  readonly logger: string;
  readonly notify: (method: string, params: object) => void;
}

/** `ctx.progress` and `ctx.log` of one request: they send only what this request asked for. */
export function telling({ progressToken, logLevel, logger, notify }: TellingInput): Telling {
  let last = -Infinity;
  const least = logLevel === undefined ? Infinity : LOG_LEVELS.indexOf(logLevel);
  return {
    progress(value, total, message) {
      if (progressToken === undefined || !Number.isFinite(value) || value <= last) return;
      last = value;
      notify('notifications/progress', {
        progressToken,
        progress: value,
        ...(total !== undefined && { total }),
        ...(message !== undefined && { message }),
      });
    },
    log(level, data) {
      if (LOG_LEVELS.indexOf(level) >= least) notify('notifications/message', { level, logger, data });
    },
  };
}
