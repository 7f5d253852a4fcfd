// Which part of a picture is shown. Nothing here knows the page.

/**
 * The part of a picture that is shown.
 * @param {{width: number, height: number}} picture
 * @param {number} ratio width to height
 * @param {{zoom: number, x: number, y: number}} at how large it is, and where from 0 to 1
 */
export function partOf(picture, ratio, { zoom, x, y }) {
  const width = Math.min(picture.width, picture.height * ratio) / zoom;
  const height = width / ratio;
  return {
    left: (picture.width - width) * x,
    top: (picture.height - height) * y,
    width,
    height,
  };
}
