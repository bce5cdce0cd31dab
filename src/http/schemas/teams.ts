import {z} from 'zod';
import {invitedRoles} from '../../contract/constants.js';
import {emailField, nameField} from './fields.js';

export const createTeam = z
	.strictObject({name: nameField.describe('Name of the team, 1 to 100 characters.')})
	.meta({id: 'CreateTeam'});

export const renameTeam = createTeam;

export const createInvite = z
	.strictObject({
		email: emailField.describe('Email address of the user to invite.'),
		role: z.enum(invitedRoles).default('member').describe('Role in the team (default `member`).'),
	})
	.meta({id: 'CreateInvite'});

export const acceptInvite = z
	.strictObject({token: z.string().min(1).max(200).describe('Token of the invite.')})
	.meta({id: 'AcceptInvite'});
