/** A step from one version of the schema to the next. */
export type Migration = {
	/** Of the schema once it is done; counted from 1. */
	readonly version: number;
	/** The oldest version whose nodes can go on beside those of this one. */
	readonly oldestReader: number;
	readonly statements: readonly string[];
};
