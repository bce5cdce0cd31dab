import type {Command} from 'commander';
import type {Context} from '../../context.js';
import {addCreate} from './create.js';
import {addList} from './list.js';
import {addRevoke} from './revoke.js';

export function addKeysCommands(parent: Command, context: Context): void {
	addCreate(parent, context);
	addList(parent, context);
	addRevoke(parent, context);
}
