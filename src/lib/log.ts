type Write = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/** What the parts need of a logger; pino's satisfies it. */
export type Log = {readonly info: Write; readonly warn: Write; readonly error: Write};
