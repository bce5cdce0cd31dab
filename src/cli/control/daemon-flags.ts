import {type Command, Option} from 'commander';
import {type DaemonFlags, daemonSettings, flagOf, settingNames, usageOf, variableOf} from '../../config/settings.js';
import {addHelpNote} from '../help/layout.js';

/** Gives a command a flag for each setting of the daemon. */
export function addDaemonFlags(command: Command): Command {
	for (const name of settingNames) {
		const {description, kind} = daemonSettings[name];
		const option = new Option(usageOf(name), description).helpGroup('Settings:');
		command.addOption(kind.isList ? option.argParser(joined) : option);
	}

	return addHelpNote(
		command,
		`Each setting also has a variable: ${flagOf('smtpPort')} is ${variableOf('smtpPort')}. Flags override variables. Variables override the "daemon" object in the settings file.`,
	);
}

/** Joins the values of a repeated flag. */
function joined(text: string, before: string | undefined): string {
	return before === undefined ? text : `${before},${text}`;
}

/** The settings among the options that commander parsed. Of a flag such as `--no-fault-addresses` it tells whether it is not given. */
export function daemonFlags(found: Readonly<Record<string, unknown>>): DaemonFlags {
	return Object.fromEntries(
		settingNames.flatMap(name => {
			const option = new Option(flagOf(name));
			const value = found[option.attributeName()];
			const given = option.negate ? value === false || undefined : value;
			return given === undefined ? [] : [[name, String(given)]];
		}),
	);
}
