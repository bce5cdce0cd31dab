import {type Command, Option} from 'commander';
import {otherProviders, sendEnv, smtpEnv} from '../../client/sending.js';
import {countOrAll, durationOrEver, type Kind, unbounded} from '../../config/kinds.js';
import {maxBounceDelayMs, type Routing, routings} from '../../contract/constants.js';
import {createdInboxFields, credentialsFields, inboxFields} from '../../contract/field-names.js';
import type {CreateInbox, CredentialsBody, InboxBody} from '../../contract/inboxes.js';
import type {Context} from '../context.js';
import {addHomeFlag} from '../control/home-flag.js';
import {findInbox, teamId} from '../find.js';
import {
	addExamples,
	addPageFlags,
	durationOption,
	type EnvFlag,
	envOption,
	faultOption,
	type JsonFlag,
	jsonOption,
	lifetime,
	type PageFlags,
	parsedOption,
} from '../options.js';
import {Exit, exitCodes, usageError} from '../output/exit.js';
import {printExports, printJsonOr, printProperties, printResult} from '../output/print.js';
import {type TableColumn, timeColumn} from '../output/table.js';
import {fillDelete, fillList, fillShow, readPages} from './list-show-delete.js';

export function addInboxCommands(inbox: Command, context: Context): void {
	addCreate(inbox, context);
	addList(inbox, context);
	const show = inbox.command('show').description('show an inbox').argument('<inbox>', 'id, address or name');
	fillShow(addHomeFlag(show, context), context, {
		fields: inboxFields,
		find: async name => findInbox(await context.api(), name),
	});
	addCredentials(inbox, context);
	addUpdate(inbox, context);
	addDelete(inbox, context);
}

/** Flag value for the default of the daemon. */
const daemonDefault = 'default';

/** Zero means unlimited. */
type Limit = number | typeof daemonDefault;

/** Retention flags of an inbox. */
type RetentionFlags = {
	readonly keep?: Limit;
	/** Milliseconds. */
	readonly keepFor?: Limit;
};

function addRetentionFlags(command: Command): Command {
	const {keep, keepFor} = unbounded;
	const keepHelp = `keep only the newest <number> messages; also "${keep}" or "${daemonDefault}"`;
	const keepForHelp = `delete messages after this time; also "${keepFor}" or "${daemonDefault}"`;
	return command
		.addOption(limitOption('--keep <number>', keepHelp, countOrAll))
		.addOption(limitOption('--keep-for <duration>', keepForHelp, durationOrEver));
}

/** The fields of an inbox that these flags give. */
function retentionFields({keep, keepFor}: RetentionFlags): Pick<CreateInbox, 'keep' | 'keep_for'> {
	return {
		keep: keep === daemonDefault ? null : keep,
		keep_for: keepFor === daemonDefault ? null : keepFor && Math.ceil(keepFor / 1000),
	};
}

function limitOption(flags: string, description: string, {expects, parse}: Kind<number | null>): Option {
	const problem = `It must be ${expects}, or "${daemonDefault}" for the setting of the daemon.`;
	const parseLimit = (text: string): Limit | undefined => {
		const limit = text === daemonDefault ? text : parse(text);
		return limit === null ? 0 : limit;
	};
	return parsedOption(flags, description, parseLimit, problem);
}

/** Flags for the automatic bounces of an inbox. */
type BounceFlags = {
	/** Enhanced status code; false stops bounces. */
	readonly bounce?: string | false;
	/** Milliseconds. */
	readonly bounceAfter?: number;
	readonly simulator?: boolean;
};

function addBounceFlags(command: Command): Command {
	return command
		.option('--bounce <status>', 'bounce each message with this status, such as 5.1.1')
		.addOption(durationOption('--bounce-after <duration>', 'delay of the bounce', {maxMs: maxBounceDelayMs}))
		.option('--simulator', 'treat bounce@, complaint@ and ooto@ like the Amazon SES simulator');
}

/** The fields of an inbox that these flags give. */
function bounceFields({bounce, bounceAfter, simulator}: BounceFlags): Pick<CreateInbox, 'bounce' | 'simulator'> {
	if (typeof bounce === 'string') {
		return {bounce: {status: bounce, delay_ms: bounceAfter}, simulator};
	}

	if (bounceAfter !== undefined) {
		throw usageError('--bounce-after needs --bounce.', 'Add the status, as in --bounce 5.1.1.');
	}

	return {bounce: bounce === false ? null : undefined, simulator};
}

type CreateFlags = JsonFlag &
	EnvFlag &
	BounceFlags &
	RetentionFlags & {
		readonly name?: string;
		readonly address?: string;
		readonly team?: string;
		/** Milliseconds. */
		readonly ttl?: number;
		readonly routing?: Routing;
		readonly fault?: readonly string[];
	};

function addCreate(inbox: Command, context: Context): void {
	const command = inbox.command('create').description('create an inbox and print its address');
	addExamples(command, 'addr=$(tinbox inbox create)', "tinbox inbox create --address '*@shop.test' --ttl 1h");
	addRetentionFlags(addBounceFlags(command))
		.option('--name <name>', 'name to use instead of the address')
		.option('--address <address>', 'address (default: random); "*@domain" and "*" are catch-alls')
		.option('--team <team>', 'share it with this team (id or name)')
		.addOption(durationOption('--ttl <duration>', 'delete it with its messages after this time', lifetime))
		.addOption(routingOption())
		.addOption(faultOption('add a preset fault; repeatable (see "tinbox help faults")'))
		.addOption(envOption('print the SMTP and sending-API credentials as variables'))
		.addOption(jsonOption(createdInboxFields))
		.action(async ({name, address, team, ttl, routing, fault, format, json, ...others}: CreateFlags) => {
			const faults = fault && (await import('./fault-preset.js')).readInboxPresets(fault);
			const client = await context.api();
			const created = await client.inboxes.create({
				name,
				email_address: address,
				team_id: await teamId(team, context),
				ttl: ttl === undefined ? undefined : Math.ceil(ttl / 1000),
				routing,
				...bounceFields(others),
				...retentionFields(others),
			});
			for (const preset of faults ?? []) {
				await client.faults.create(created.id, preset);
			}

			if (format !== 'env' || json) {
				printResult(context.io, created, created.email_address, json);
				return;
			}

			if (!created.smtp) {
				const message = 'The inbox was created, but the daemon does not accept mail now.';
				throw new Exit(exitCodes.failed, 'stopping', message);
			}

			await printCredentialsEnv(created.smtp, context);
		});
}

function routingOption(): Option {
	return new Option(
		'--routing <by>',
		'deliver mail sent with the credentials of the inbox to this inbox ("login", default) or to the recipients of the mail',
	).choices(routings);
}

type CredentialsFlags = JsonFlag & EnvFlag & {readonly rotate?: boolean};

function addCredentials(inbox: Command, context: Context): void {
	const command = inbox.command('credentials').description('show the SMTP and sending-API credentials of an inbox');
	addExamples(command, 'eval "$(tinbox inbox credentials signup --format env)"')
		.argument('<inbox>', 'id, address or name')
		.option('--rotate', 'replace the password; the old one stops working')
		.addOption(envOption('print the credentials as variables'))
		.addOption(jsonOption(credentialsFields))
		.action(async (text: string, {rotate, format, json}: CredentialsFlags) => {
			const client = await context.api();
			const {id} = await findInbox(client, text);
			const credentials = await (rotate ? client.inboxes.rotateCredentials(id) : client.inboxes.credentials(id));
			await printJsonOr(context.io, credentials, json, () =>
				format === 'env' ? printCredentialsEnv(credentials, context) : printProperties(context.io, credentials),
			);
		});
}

/** Prints the credentials as variables for SMTP and for the sending APIs. */
async function printCredentialsEnv(credentials: CredentialsBody, {io, access}: Context): Promise<void> {
	const {url} = await access();
	printExports(io, {...smtpEnv(credentials), ...sendEnv(otherProviders, url, credentials.send_key)});
}

function addList(inbox: Command, context: Context): void {
	const command = inbox.command('list').description('list your inboxes, newest first');
	fillList<InboxBody, PageFlags>(addHomeFlag(addPageFlags(command), context), context, {
		fields: inboxFields,
		columns,
		async load(flags) {
			const client = await context.api();
			const {rows, total, limit, hasMore} = await readPages(flags, async page => {
				const {inboxes, total} = await client.inboxes.list(page);
				return {rows: inboxes, total};
			});
			return {
				rows,
				body: {inboxes: rows, total, page: 1, limit},
				none: 'There are no inboxes yet. Create one: tinbox inbox create',
				more: hasMore && `${rows.length} of ${total} inboxes. See all: tinbox inbox list --all`,
			};
		},
	});
}

const columns: readonly TableColumn<InboxBody>[] = [
	{header: 'ADDRESS', value: inbox => inbox.email_address},
	{header: 'NAME', value: inbox => inbox.name ?? '', flexible: true},
	{header: 'MESSAGES', value: inbox => String(inbox.message_count)},
	{...timeColumn<InboxBody>('CREATED', inbox => inbox.created_at), optional: true},
	{header: 'ID', value: inbox => inbox.id},
];

type UpdateFlags = JsonFlag &
	BounceFlags &
	RetentionFlags & {
		readonly name?: string;
		/** False stops sharing. */
		readonly team?: string | false;
		readonly routing?: Routing;
	};

function addUpdate(inbox: Command, context: Context): void {
	const command = inbox
		.command('update')
		.description('change the name, team, routing, bounces or retention of an inbox')
		.summary('change the settings of an inbox');
	addRetentionFlags(addBounceFlags(command))
		.option('--no-bounce', 'stop sending bounces')
		.option('--no-simulator', 'treat simulator addresses like any other')
		.argument('<inbox>', 'id, address or name')
		.option('--name <name>', 'new name')
		.option('--team <team>', 'share it with this team (id or name)')
		.option('--no-team', 'stop sharing it')
		.addOption(routingOption())
		.addOption(jsonOption(inboxFields))
		.action(async (text: string, {json, team, name, routing, ...flags}: UpdateFlags) => {
			const changes = {name, routing, ...bounceFields(flags), ...retentionFields(flags)};
			if ([team, ...Object.values(changes)].every(value => value === undefined)) {
				throw usageError('There is nothing to change.', 'Use at least one flag, such as --name or --routing.');
			}

			const client = await context.api();
			const {id} = await findInbox(client, text);
			const team_id = team === false ? null : await teamId(team, context);
			const updated = await client.inboxes.update(id, {...changes, team_id});
			printResult(context.io, updated, updated.email_address, json);
		});
}

function addDelete(inbox: Command, context: Context): void {
	const command = inbox.command('delete').description('delete inboxes and all their messages permanently');
	fillDelete(command.argument('<inbox...>', 'ids, addresses or names'), context, {
		connect: context.api,
		find: findInbox,
		remove: ({inboxes}, {id}) => inboxes.delete(id),
		done: ({email_address, message_count}) =>
			`Deleted ${email_address} with ${message_count} ${message_count === 1 ? 'message' : 'messages'}.`,
	});
}
