use serde::Serialize;

use crate::domain::Club;
use crate::media::Media;
use crate::text::ClubCode;

/// A club, as other objects name it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "api", derive(utoipa::ToSchema))]
pub struct ClubNameBody {
    /// Code of the club.
    #[cfg_attr(feature = "api", schema(value_type = String))]
    pub code: ClubCode,
    /// Name of the club.
    pub name: String,
    /// Address of the logo, at most 600 pixels wide. Null if there is none.
    pub image_url: Option<String>,
}

impl ClubNameBody {
    /// The code, name and logo of a club.
    pub fn new(club: &Club, media: &Media) -> Self {
        Self {
            code: club.code.clone(),
            name: club.profile.name.clone(),
            image_url: logo(club, media),
        }
    }
}

/// The address of the logo of a club.
pub fn logo(club: &Club, media: &Media) -> Option<String> {
    club.image.as_ref().map(|image| media.url(&image.small))
}
