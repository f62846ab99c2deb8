// Nothing is left when all is over, and nothing came up where nobody expects it.

import type { Checker } from './property.js';

export const checkLeftovers: Checker = ({ history: { left, endedAt }, property }) => ({
  checked: 1,
  violations: left.map((text) => ({ property, object: undefined, at: endedAt, text })),
});

export const checkSurprises: Checker = ({ history: { surprises, endedAt }, property }) => ({
  checked: 1,
  violations: surprises.map((text) => ({ property, object: undefined, at: endedAt, text })),
});
