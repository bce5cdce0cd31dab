import {z} from 'zod';
import {invitedRoles} from '../../contract/teams.js';
import {emailField, nameField} from './fields.js';

export const createTeam = z.strictObject({name: nameField}).meta({id: 'CreateTeam'});

export const renameTeam = createTeam;

export const createInvite = z
	.strictObject({email: emailField, role: z.enum(invitedRoles).default('member')})
	.meta({id: 'CreateInvite'});

export const acceptInvite = z.strictObject({token: z.string().min(1).max(200)}).meta({id: 'AcceptInvite'});
