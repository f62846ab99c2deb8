// @ts-check
// What each part of the gate may take on two cores, in seconds: at most 18 minutes, of which `npm test` at most 4.
// A part that takes more than twice its share is named in the report; what runs beside others takes what they leave.

/** @type {Record<string, number>} by the name of the check */
export const BUDGET = {
  install: 45,

  // `npm test`: the build, then the first part of the suite, with the other checks beside it.
  build: 10,
  'the first part of the suite': 215,
  typecheck: 150,
  examples: 40,
  documents: 30,
  lint: 150,
  format: 5,
  rooms: 5,
  generated: 5,
  'api report': 15,
  package: 25,
  knip: 25,

  // `npm run test:gate`, one after the other.
  'the rest of the suite': 345,
  models: 35,
  'the server in virtual time beside a real one': 15,
  'the contract on ioredis 5': 40,
  'the contract through the driver': 40,
  'the package on releases of Node.js': 75,
  'the recipes': 25,
  'the documentation site': 60,
  'mistakes on purpose': 80,
  'beside Java': 80,

  // Beside these.
  'the simulation': 150,
};
