// A rejection that nobody handled is a fault of the library, whichever test happens to be running.
process.on('unhandledRejection', (reason) => {
  process.stderr.write(`unhandledRejection during the test run: ${String(reason)}\n`);
  process.exit(70);
});
