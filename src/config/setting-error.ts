/** A flag, a variable or the settings file says something that cannot be used; the message names it. */
export class SettingError extends Error {
	override readonly name = 'SettingError';
}
