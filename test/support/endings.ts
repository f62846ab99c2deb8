import { afterAll } from 'vitest';
import { endFile } from './file-end.js';

afterAll(endFile);
