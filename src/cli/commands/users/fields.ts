import {Option} from 'commander';
import type {UserBody} from '../../../contract/users.js';
import type {FieldsOf} from '../../options.js';

export const userFields: FieldsOf<UserBody> = {id: true, name: true, email: true, plan: true, created_at: true};

export type Plan = UserBody['plan'];

const plans: readonly Plan[] = ['free', 'starter', 'pro', 'business'];

export const planOption = () => new Option('--plan <plan>', 'what the user may have').choices(plans);
