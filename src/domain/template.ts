/** What a user registered to be filled in, by the id that the application names it by. */
export type Template = {
	readonly userId: string;
	/** Whose form it has. */
	readonly provider: string;
	readonly id: string;
	/** Its texts by what they are for, such as `subject`. */
	readonly parts: Readonly<Record<string, string>>;
	readonly createdAt: string;
};
