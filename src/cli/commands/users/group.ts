import type {Command} from 'commander';
import type {Context} from '../../context.js';
import {addCreate} from './create.js';
import {addDelete} from './delete.js';
import {addList} from './list.js';
import {addToken} from './token.js';
import {addUpdate} from './update.js';

export function addUsersCommands(parent: Command, context: Context): void {
	addCreate(parent, context);
	addList(parent, context);
	addUpdate(parent, context);
	addDelete(parent, context);
	addToken(parent, context);
}
