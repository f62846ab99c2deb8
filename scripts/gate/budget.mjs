// @ts-check
// What each part of the gate may take on two cores, in seconds: at most 18 minutes, of which `npm test` at most 4.
// A part that takes more than twice its share is named in the report.

/** @type {Record<string, number>} by the name of the check */
export const BUDGET = {
  install: 45,

  // `npm test`: the build, then the first part of the suite, with the other checks beside it.
  build: 10,
  'the first part of the suite': 200,
  typecheck: 170,
  examples: 40,
  documents: 30,
  lint: 140,
  format: 5,
  rooms: 5,
  generated: 5,
  'api report': 15,
  package: 25,
  knip: 25,

  // `npm run test:gate`, one after the other.
  'the rest of the suite': 430,
  models: 25,
  'the server in virtual time beside a real one': 15,
  'the contract on ioredis 5': 35,
  'the contract through the driver': 35,
  'the package on releases of Node.js': 65,
  'the recipes': 15,
  'the documentation site': 50,
  'mistakes on purpose': 60,
  'beside Java': 55,

  // Beside these.
  'the simulation': 200,
};
