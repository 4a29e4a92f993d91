/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/spec'],
  testMatch: ['**/*.spec.ts'],
  setupFiles: ['<rootDir>/spec/support/unhandled.ts'],
  setupFilesAfterEnv: ['<rootDir>/spec/support/channels.ts'],
  moduleNameMapper: {
    '^express-mrtr$': '<rootDir>/lib/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  transform: {
    '^.+\\.ts$': ['ts-jest', { tsconfig: '<rootDir>/spec/tsconfig.json' }],
  },
  testTimeout: 30_000,
};
