import {daemonSettings, flagOf, settingNames, variableOf} from '../../config/settings.js';

/** Variables of the CLI; those of the daemon's settings have the names of their flags. */
export const cliVariables: Readonly<Record<string, string>> = {
	TINBOX_HOME: 'one folder for settings, mail, state and log, in place of the XDG base directories',
	TINBOX_URL: 'a daemon to use, by the base address of its API; nothing is started then',
	TINBOX_API_KEY: 'opens inboxes, messages and webhooks there',
	TINBOX_TOKEN: 'opens teams and keys there; the token of its operator opens users, too',
	TINBOX_PROFILE: 'which login to use, as --profile',
	TINBOX_NO_START: 'when set, no command starts a daemon on its own',
	TINBOX_DEBUG: 'when set, an error also shows where it came from',
	TINBOX_WEBHOOK_SECRET: 'the secret for "tinbox webhooks verify", which would be seen as a flag',
	PAGER: 'what "tinbox watch" shows a long message with',
	BROWSER: 'what "tinbox messages open" shows a message with',
	NO_COLOR: 'when set, "tinbox watch" has no colours',
	CI: 'when set, nothing is animated',
};

/** What `tinbox run` and `--format env` set for others. */
export const exportedVariables: Readonly<Record<string, string>> = {
	SMTP_HOST: 'where the app sends its mail',
	SMTP_PORT: 'the port there',
	TINBOX_URL: 'base address of the API',
	TINBOX_API_KEY: 'opens it',
	TINBOX_ADDRESS: 'the address of a first inbox (only "tinbox run")',
};

export function settingVariables(): Readonly<Record<string, string>> {
	return Object.fromEntries(
		settingNames.map(name => [variableOf(name), `${flagOf(name)}: ${daemonSettings[name].description}`]),
	);
}
