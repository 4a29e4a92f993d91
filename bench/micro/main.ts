import { serve } from '../processes/serve.js';
import { benchEngine, benchLedger } from './engine.js';
import { benchEvents } from './events.js';
import { benchSeal } from './seal.js';
import { benchSingleUse } from './single-use.js';
import { benchStep } from './step.js';

serve({
  seal: benchSeal,
  engine: benchEngine,
  ledger: benchLedger,
  events: benchEvents,
  step: benchStep,
  singleUse: benchSingleUse,
});
