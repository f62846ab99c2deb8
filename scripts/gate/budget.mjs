// @ts-check
// What each part of the gate may take on two cores, in seconds: at most 18 minutes, of which `npm test` at most 4.
// A part that takes more than twice its share is named in the report.

/** @type {Record<string, number>} by the name of the check */
export const BUDGET = {
  install: 45,

  // `npm test`: the build, then the first part of the suite, with the other checks beside it.
  build: 10,
  'the first part of the suite': 215,
  typecheck: 200,
  examples: 100,
  documents: 100,
  lint: 220,
  format: 220,
  rooms: 60,
  generated: 60,
  'api report': 60,
  package: 60,
  knip: 60,

  // `npm run test:gate`, one after the other.
  'the rest of the suite': 320,
  models: 30,
  'the server in virtual time beside a real one': 15,
  'the simulation': 25,
  'the contract on ioredis 5': 40,
  'the contract through the driver': 40,
  'the package on releases of Node.js': 75,
  'the recipes': 20,
  'the documentation site': 65,
  'mistakes on purpose': 80,
  'beside Java': 80,
};
