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
		command.addOption(new Option(usageOf(name), daemonSettings[name].description).helpGroup('Settings:'));
	}

	return command.addHelpText(
		'after',
		`\nEach setting also has a variable: ${flagOf('smtpPort')} is ${variableOf('smtpPort')}. Flags win over variables,
these over "daemon" in the settings file.`,
	);
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
