#!/usr/bin/env node
import { generateKey } from './seal/keyring.js';

const HELP = `Usage: express-mrtr <command>

Commands:
  keygen    Print a fresh key for MRTR_KEYS or the option "keys".

Options:
  --help    Print this text.
`;

run(process.argv.slice(2));

function run([command, ...surplus]: readonly string[]): void {
  if (surplus.length > 0) return fail(`${JSON.stringify(command)} takes no arguments`);
  switch (command) {
    case 'keygen':
      process.stdout.write(`${generateKey()}\n`);
      return;
    case '--help':
    case '-h':
      process.stdout.write(HELP);
      return;
    case undefined:
      return fail('a command is missing');
    default:
      return fail(`${JSON.stringify(command)} is not a command`);
  }
}

function fail(problem: string): void {
  process.stderr.write(`express-mrtr: ${problem}; see express-mrtr --help\n`);
  process.exitCode = 1;
}
