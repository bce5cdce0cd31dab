/** That a request was answered, and how: the same request is not done twice. */
export type Receipt = {
	/** Tells who asked by which key that was to make it happen once. */
	readonly id: string;
	/** Of what was asked for. */
	readonly digest: string;
	readonly answer: {
		readonly status: number;
		readonly headers?: Readonly<Record<string, string>>;
		/** JSON, or a text as it is. */
		readonly body: unknown;
	};
	/** ISO 8601, as all times. */
	readonly createdAt: string;
	/** From then on the same request is another one. */
	readonly expiresAt: string;
};

/** How many characters it takes in memory, about. */
export function sizeOfReceipt({digest, answer}: Receipt): number {
	return 500 + digest.length + JSON.stringify(answer).length;
}
