/** What only the daemons that share this store may know: secrets by name, the same for all of them. */
export interface SecretStore {
	get(name: string): Promise<string | undefined>;
	/** Keeps the secret where there still is `before` (undefined: none), and resolves to the one that is there then. */
	put(name: string, secret: string, before?: string): Promise<string>;
}
