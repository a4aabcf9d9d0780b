export function sentences(...all: readonly (string | false | null | undefined)[]): string {
  return all.filter(Boolean).join(' ')
}
