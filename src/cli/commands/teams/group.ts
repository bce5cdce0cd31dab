import type {Command} from 'commander';
import type {Context} from '../../context.js';
import {addAccept} from './accept.js';
import {addCreate} from './create.js';
import {addDelete} from './delete.js';
import {addInvite} from './invite.js';
import {addList} from './list.js';
import {addRemove} from './remove.js';
import {addRename} from './rename.js';
import {addShow} from './show.js';

export function addTeamsCommands(parent: Command, context: Context): void {
	addCreate(parent, context);
	addList(parent, context);
	addShow(parent, context);
	addRename(parent, context);
	addDelete(parent, context);
	addInvite(parent, context);
	addAccept(parent, context);
	addRemove(parent, context);
}
