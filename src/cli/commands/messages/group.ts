import type {Command} from 'commander';
import type {Context} from '../../context.js';
import {addDelete} from './delete.js';
import {addList} from './list.js';
import {addRaw} from './raw.js';
import {addSave} from './save.js';
import {addShow} from './show.js';
import {addWait} from './wait.js';

export function addMessagesCommands(parent: Command, context: Context): void {
	addWait(parent, context);
	addList(parent, context);
	addShow(parent, context);
	addRaw(parent, context);
	addSave(parent, context);
	addDelete(parent, context);
}
