/** What a delete answers where the specification asks for a body. */
export type DoneBody = {readonly message: string};
