/** Whole files of 96 by 64 pixels in one color, in base64. */
export const pictures = {
  png: 'iVBORw0KGgoAAAANSUhEUgAAAGAAAABACAMAAADS6oI8AAAAA1BMVEUGlmmwgrUIAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAHUlEQVRYw+3BMQEAAADCoPVP7W0HoAAAAAAAAN4AGEAAAVgzK50AAAAASUVORK5CYII=',
  jpeg: '/9j/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeXBkeFxlZ2P/2wBDARESEhgVGC8aGi9jQjhCY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2P/wAARCABAAGADASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAT/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFgEBAQEAAAAAAAAAAAAAAAAAAAEG/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAwDAQACEQMRAD8AiAVnwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAH/2Q==',
  /** Lossy. */
  webp: 'UklGRlYAAABXRUJQVlA4IEoAAABQBACdASpgAEAAPtFosFKoJiSioWgBABoJaQDTJAT0RIkSJNI1hq5msCQAAP7grH//CtfsD+JbIzBAcCMl1+5zKiyTsEiZlAAAAA==',
  losslessWebp: 'UklGRiQAAABXRUJQVlA4TBcAAAAvX8APAAdQyxo0rf8BICH8ny9F9D/1BwA=',
  /** With transparency. */
  extendedWebp:
    'UklGRoAAAABXRUJQVlA4WAoAAAAQAAAAXwAAPwAAQUxQSBAAAAABB1DAiAgACeH/fCmi/6k/VlA4IEoAAABQBACdASpgAEAAPtFosFKoJiSioWgBABoJaQDTJAT0RIkSJNI1hq5msCQAAP7grH//CtfsD+JbIzBAcCMl1+5zKiyTsEiZlAAAAA==',
} as const

/** Those of the types that a payment link takes, as it takes them. */
export const dataUrls = {
  png: `data:image/png;base64,${pictures.png}`,
  jpeg: `data:image/jpeg;base64,${pictures.jpeg}`,
  webp: `data:image/webp;base64,${pictures.webp}`,
} as const

/** A data URL of any content, called a PNG. */
export function asPng(content: Uint8Array | string): string {
  return `data:image/png;base64,${Buffer.from(content).toString('base64')}`
}
