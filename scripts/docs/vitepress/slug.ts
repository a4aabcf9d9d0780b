/** The anchor of a heading, as GitHub makes it: one link leads to it there and on the site. */
export function slug(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
}
