import {type Command, Option} from 'commander';
import {
	type DaemonFlags,
	type DaemonSettings,
	daemonSettings,
	flagOf,
	settingNames,
	usageOf,
	variableOf,
} from '../../../config/settings.js';

/** Gives a command a flag for each setting of the daemon. */
export function addDaemonFlags(command: Command): Command {
	for (const name of settingNames) {
		const {description, kind} = daemonSettings[name];
		const option = new Option(usageOf(name), description).helpGroup('Settings:');
		command.addOption(kind.isList ? option.argParser(joined) : option);
	}

	return command.addHelpText(
		'after',
		`\nEach setting also has a variable: ${flagOf('smtpPort')} is ${variableOf('smtpPort')}. Flags win over variables,
these over "daemon" in the settings file.`,
	);
}

/** What a flag says that was given more than once. */
function joined(text: string, before: string | undefined): string {
	return before === undefined ? text : `${before},${text}`;
}

/** The settings among the options that commander parsed. */
export function daemonFlags(found: Readonly<Record<string, unknown>>): DaemonFlags {
	return Object.fromEntries(
		settingNames.flatMap(name => {
			const given = found[attributeOf(name)];
			return given === undefined ? [] : [[name, String(given)]];
		}),
	);
}

/** Commander's name for the option: the flag in camel case. */
function attributeOf(name: keyof DaemonSettings): string {
	return new Option(`${flagOf(name)} <value>`).attributeName();
}
