import {z} from 'zod';
import {pageFields} from './fields.js';

export const listRefusals = z.strictObject({limit: pageFields.limit});
