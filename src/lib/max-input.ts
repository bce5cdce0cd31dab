/** Characters of a text or an HTML body in which codes and links are looked for. The rest is ignored, so that none takes long. */
export const maxInput = 512 * 1024;
