import {z} from 'zod';
import {nameField} from './fields.js';

export const createKey = z.strictObject({name: nameField.default('Default')}).meta({id: 'CreateKey'});
