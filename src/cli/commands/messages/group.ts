import type {Command} from 'commander';
import type {Context} from '../../context.js';
import {addDelete} from './delete.js';
import {addList} from './list.js';
import {addOpen} from './open.js';
import {addRaw} from './raw.js';
import {addSave} from './save.js';
import {addShow} from './show.js';
import {addTail} from './tail.js';
import {addWait} from './wait.js';

export function addMessagesCommands(parent: Command, context: Context): void {
	addWait(parent, context);
	addList(parent, context);
	addTail(parent, context);
	addShow(parent, context);
	addOpen(parent, context);
	addRaw(parent, context);
	addSave(parent, context);
	addDelete(parent, context);
}
