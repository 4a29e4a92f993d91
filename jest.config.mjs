/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/spec'],
  testMatch: ['**/*.spec.ts'],
  // An unhandled rejection needs no set-up of its own: Jest fails the test that runs, Node ends the worker between tests.
  setupFilesAfterEnv: ['<rootDir>/spec/support/channels.ts'],
  moduleNameMapper: {
    '^express-mrtr$': '<rootDir>/lib/index.ts',
    '^express-mrtr/testing$': '<rootDir>/lib/testing/index.ts',
    '^express-mrtr/sdk$': '<rootDir>/lib/sdk.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  transform: {
    '^.+\\.ts$': ['ts-jest', { tsconfig: '<rootDir>/spec/tsconfig.json' }],
  },
  testTimeout: 30_000,
};
