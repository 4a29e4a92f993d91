/** Run with the project's own jest: EXPRESS_MRTR_TS_JEST says where its ts-jest is. */
module.exports = {
  testEnvironment: 'node',
  transform: {
    '\\.ts$': [
      process.env.EXPRESS_MRTR_TS_JEST,
      { tsconfig: { module: 'commonjs', esModuleInterop: true, isolatedModules: true, allowJs: true } },
    ],
  },
};
