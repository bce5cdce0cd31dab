import {z} from 'zod';
import {nameField} from './fields.js';

export const createKey = z
	.strictObject({name: nameField.default('Default').describe('Label of the key (default `Default`).')})
	.meta({id: 'CreateKey'});
