/** On every answer: what the daemon says is kept by nobody, and is nothing but the type it names. */
export const safetyHeaders = {'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store'} as const;
