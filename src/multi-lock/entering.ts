import type { EndpointServices } from '../core/endpoint-services.js';
import type { Part } from './ask.js';

/** Counts as a user of the name of each lock, but for those that a hold around it uses already. */
export function enterNames(services: EndpointServices, parts: readonly Part[]): void {
  for (const part of parts) {
    if (part.outer === undefined) {
      services.names.enter(part.grants.protocol);
      part.isEntered = true;
    }
  }
}
