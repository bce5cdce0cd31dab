import {homedir} from 'node:os';
import path from 'node:path';
import {helpTopics} from '../../src/cli/commands/help.js';
import * as kinds from '../../src/config/kinds.js';
import {type DaemonSettings, daemonSettings, settingNames, usageOf, variableOf} from '../../src/config/settings.js';
import {resolvePaths} from '../../src/runtime/paths.js';
import {code, generated, page, prose, sentence, table} from './markdown.js';

type Name = keyof DaemonSettings;

/** Settings by topic; each is in the first group that it matches. */
const groups: ReadonlyArray<{readonly heading: string; readonly names: RegExp; readonly notes?: string}> = [
	{heading: 'Ports and addresses', names: /Port$|^host|^domain$/},
	{
		heading: 'TLS',
		names: /^tls/,
		notes: `- Certificate files are read again when they change.
- \`*.example.com\` covers every name one label below it. Clients that ask for another name get the certificate of the daemon.
- The daemon keeps its own certificates and its certificate authority (CA) in the folder \`tls\` of the data folder. See [TLS](../tls.md).`,
	},
	{
		heading: 'SMTP login and sending APIs',
		names: /^(?:smtp|auth|send)/,
		notes: 'See [SMTP authentication](../smtp-auth.md) and [sending APIs](../sending.md).',
	},
	{
		heading: 'Storage',
		names: /^(?:data|store)/,
		notes: `- \`--store\` takes PostgreSQL 13 or newer. The variables of libpq, such as \`PGPASSWORD\`, supply what the URL omits.
- \`--store-key-file\` names the key that encrypts the secrets in the database. All nodes need the same one. See [PostgreSQL](../operate/postgresql.md).
- \`tinbox store copy\` moves everything between a data folder and a database, in both directions.`,
	},
	{
		heading: 'Retention',
		names: /^keep/,
		notes: `- An inbox keeps all of its mail by default. \`--keep\` and \`--keep-for\` change the default of all inboxes, existing ones included.
- \`tinbox inbox create\` and \`inbox update\` take the same options for one inbox. They win over the default: \`--keep all\` and
  \`--keep-for forever\` keep everything, and \`--keep default\` returns to the default.
- The oldest message is deleted in the commit that stores the new one. If you lower the number, the excess messages are deleted in batches.
- Eviction works like deletion. Event streams report it with \`"reason": "evicted"\`.
  \`tinbox inbox show\` counts evicted messages, and a wait that times out reports them.`,
	},
	{heading: 'Webhooks', names: /^webhook/, notes: 'See [webhooks](../webhooks.md).'},
	{heading: 'Limits', names: /^max/, notes: '[All limits](limits.md), fixed ones included, are on one page.'},
	{
		heading: 'Access and addresses',
		names: /^/,
		notes: `- The variable \`TINBOX_API_KEY\` is this setting for \`tinbox daemon run\` only. For every other command it is the key to use.
- A daemon that is started with another \`--api-key\` revokes the former one. A daemon that is started without \`--api-key\`
  accepts the former one until \`tinbox keys revoke\`.
- \`--catch-all\` creates an inbox named \`catch-all\` with the address \`*\`. Without it, mail to unknown recipients is refused with \`550\`.`,
	},
];

/** Defaults that are computed and not part of the settings table. */
const computedDefaults: Readonly<Record<string, string>> = {
	dataDir: '`~/.local/share/tinbox`',
	smtpsPort: '`--smtp-port` + 440',
	store: 'files in the data folder',
	storeKeyFile: '`store-key` in the data folder',
};

const introduction = `Settings of the daemon, and the environment variables of the command line. A setting can be given in three places:

| Place | Example |
| --- | --- |
| option | \`tinbox daemon start --smtp-port 2525\` |
| variable | \`TINBOX_SMTP_PORT=2525\` |
| settings file | \`{"daemon": {"smtp-port": 2525}}\` in \`~/.config/tinbox/config.json\` |

Precedence: option, variable, settings file, default.
The name of an entry in the settings file is the name of the option without \`--\`.

- Settings take effect when the daemon starts: \`tinbox daemon restart --smtp-port 2525\`. The restart keeps all other settings.
- An empty variable counts as unset. \`none\` clears a setting.
- An unknown entry in the settings file is an error. An unknown variable is ignored.

| Value | Examples |
| --- | --- |
| duration | \`500ms\`, \`30s\`, \`2m\`, \`7d\`; a bare number counts seconds |
| size | \`512K\`, \`25M\`, \`1G\` |
| two numbers or sizes | \`1000/5000\`: per user, and of all users together; one value sets both |
| list | values separated by commas; the option can also be repeated |
| switch | the option alone; as a variable \`1\` or \`true\`, \`0\` or \`false\` |`;

/** The page about settings and variables. */
export function settingsPage(): string {
	return page([
		'# Settings',
		generated,
		introduction,
		...groups.flatMap(group => [`## ${group.heading}`, settingTable(namesOf(group)), group.notes]),
		'## Folders',
		'`TINBOX_HOME` puts everything into one folder, so that several tinboxes can run side by side. Otherwise the XDG base directories apply.',
		folderTable(),
		...variableSections(),
	]);
}

export function defaultOf(name: Name): string {
	const {kind, initial} = daemonSettings[name];
	const computed = computedDefaults[name];
	if (computed !== undefined) {
		return computed;
	}

	const isNone = initial === null || (Array.isArray(initial) && initial.length === 0);
	if (kind === kinds.isOn) {
		return initial ? 'on' : 'off';
	}

	return isNone && !/all|ever/.test(formatted(name)) ? 'none' : code(formatted(name));
}

function formatted(name: Name): string {
	const {kind, initial} = daemonSettings[name] as {kind: kinds.Kind<unknown>; initial: unknown};
	if (kind === kinds.size) {
		return size(initial as number);
	}

	if (kind === kinds.sizePair) {
		const {perUser, total} = initial as kinds.Pair;
		return `${size(perUser)}/${size(total)}`;
	}

	return (kind.format ?? String)(initial);
}

/** Bytes in the form that settings take. */
function size(bytes: number): string {
	const power = Math.floor(Math.log2(bytes) / 10);
	return `${bytes / 1024 ** power}${['', 'K', 'M', 'G'][power]}`;
}

function namesOf(group: (typeof groups)[number]): readonly Name[] {
	return settingNames.filter(name => groups.find(({names}) => names.test(name)) === group);
}

function settingTable(names: readonly Name[]): string {
	return table(
		['Setting', 'Default', 'Meaning'],
		names.map(name => [
			`${code(usageOf(name))}<br>${code(variableOf(name))}`,
			defaultOf(name),
			prose(sentence(withoutDefault(daemonSettings[name].description))),
		]),
	);
}

function withoutDefault(description: string): string {
	return description.replace(/ \(default: [^()]+\)$/, '');
}

function folderTable(): string {
	const [own, usual] = [resolvePaths({TINBOX_HOME: homedir()}), resolvePaths({})];
	const rows: ReadonlyArray<readonly [string, keyof typeof own]> = [
		['settings and logins', 'settingsFile'],
		['mail', 'dataDir'],
		['log', 'logFile'],
		['where the daemon runs', 'stateFile'],
		['certificates to trust', 'trustDir'],
	];
	const under = (file: string, home: string) => code(path.join(home, path.relative(homedir(), file)));
	const xdg = {'.config': 'XDG_CONFIG_HOME', '.local/share': 'XDG_DATA_HOME', '.local/state': 'XDG_STATE_HOME'};
	return [
		table(
			['Content', 'With `TINBOX_HOME`', 'Without'],
			rows.map(([what, name]) => [what, under(own[name], '$TINBOX_HOME'), under(usual[name], '~')]),
		),
		`${Object.entries(xdg)
			.map(([folder, variable]) => `${code(variable)} replaces ${code(`~/${folder}`)}`)
			.join(', ')}. \`--data-dir\` moves the mail alone.`,
	].join('\n\n');
}

/** The variables of `tinbox help environment` that are not settings. */
function variableSections(): readonly string[] {
	const sections = (helpTopics['environment']?.text() ?? '').split('\n\n').map(text => {
		const [title = '', ...lines] = text.split('\n');
		return {title, rows: rowsIn(lines)};
	});
	const [read, , set] = sections.filter(({rows}) => rows.length > 0);
	return [
		'## Variables of the command line',
		variableTable(read?.rows ?? []),
		'## Variables that tinbox sets',
		'`tinbox run` sets these variables for its command, depending on `--tls`, `--send` and `--smtp-auth`. `tinbox inbox create --format env` and `tinbox daemon start --format env` print the variables that they know.',
		variableTable(set?.rows ?? []),
	];
}

function rowsIn(lines: readonly string[]): ReadonlyArray<readonly [string, string]> {
	const rows: Array<[string, string]> = [];
	for (const line of lines) {
		const [, name, meaning = ''] = /^ {2}(\S+) {2,}(\S.*)$/.exec(line) ?? [];
		const last = rows.at(-1);
		if (name !== undefined) {
			rows.push([name, meaning]);
		} else if (last) {
			last[1] += ` ${line.trim()}`;
		}
	}

	return rows;
}

function variableTable(rows: ReadonlyArray<readonly [string, string]>): string {
	return table(
		['Variable', 'Meaning'],
		rows.map(([name, meaning]) => [code(name), prose(sentence(meaning))]),
	);
}
