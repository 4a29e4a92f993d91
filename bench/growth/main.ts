import { serve } from '../processes/serve.js';
import { benchArguments } from './arguments.js';
import { benchRounds } from './rounds.js';
import { benchTools } from './tools.js';

serve({ rounds: benchRounds, arguments: benchArguments, tools: benchTools });
