import type {Command} from 'commander';
import type {Context} from '../../context.js';
import {addCreate} from './create.js';
import {addDelete} from './delete.js';
import {addDeliveries} from './deliveries.js';
import {addList} from './list.js';
import {addListen} from './listen.js';
import {addRedeliver} from './redeliver.js';
import {addShow} from './show.js';
import {addTest} from './test.js';
import {addUpdate} from './update.js';
import {addVerify} from './verify.js';

export function addWebhooksCommands(parent: Command, context: Context): void {
	addCreate(parent, context);
	addList(parent, context);
	addShow(parent, context);
	addUpdate(parent, context);
	addDelete(parent, context);
	addTest(parent, context);
	addDeliveries(parent, context);
	addRedeliver(parent, context);
	addListen(parent, context);
	addVerify(parent, context);
}
