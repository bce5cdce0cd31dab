/** A bare `--json` as one that has no value to come: else it would swallow the argument behind it. */
export function closeBareJson(args: readonly string[]): readonly string[] {
	const own = ownArguments(args).length;
	return args.map((arg, index) => (index < own && arg === '--json' ? '--json=' : arg));
}

/** A message about such arguments, with the flag as it was typed. */
export function openBareJson(message: string): string {
	return message.replace("'--json='", "'--json'");
}

/** Whether output is asked for as JSON, by arguments in which no `--json` is bare. */
export function wantsJson(args: readonly string[]): boolean {
	return ownArguments(args).some(arg => arg.startsWith('--json='));
}

/** Those of tinbox itself: behind `--` comes somebody else's command. */
function ownArguments(args: readonly string[]): readonly string[] {
	const dashes = args.indexOf('--');
	return dashes < 0 ? args : args.slice(0, dashes);
}
