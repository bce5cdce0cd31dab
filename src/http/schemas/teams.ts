import {z} from 'zod';
import {invitedRoles} from '../../contract/teams.js';
import {emailField, nameField} from './fields.js';

export const createTeam = z.strictObject({name: nameField});

export const renameTeam = createTeam;

export const createInvite = z.strictObject({email: emailField, role: z.enum(invitedRoles).default('member')});

export const acceptInvite = z.strictObject({token: z.string().min(1).max(200)});
