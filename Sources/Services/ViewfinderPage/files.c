// The page's files, embedded by #embed. SwiftPM builds this file anew when one of them changes. A new file of the page
// needs two lines here.
#include "ViewfinderPage.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

#define TEXT(type) "text/" type "; charset=utf-8"
#define EMBEDDED(path, type, bytes) \
  { path, type, bytes, sizeof bytes }

static const uint8_t asset_item_js[] = {
#embed "page/asset-item.js"
};
static const uint8_t camera_panel_js[] = {
#embed "page/camera-panel.js"
};
static const uint8_t camera_view_js[] = {
#embed "page/camera-view.js"
};
static const uint8_t connect_js[] = {
#embed "page/connect.js"
};
static const uint8_t control_field_js[] = {
#embed "page/control-field.js"
};
static const uint8_t controls_panel_js[] = {
#embed "page/controls-panel.js"
};
static const uint8_t daemon_clock_js[] = {
#embed "page/daemon-clock.js"
};
static const uint8_t daemon_js[] = {
#embed "page/daemon.js"
};
static const uint8_t dom_js[] = {
#embed "page/dom.js"
};
static const uint8_t everything_else_js[] = {
#embed "page/everything-else.js"
};
static const uint8_t formats_js[] = {
#embed "page/formats.js"
};
static const uint8_t generated_messages_js[] = {
#embed "page/generated/messages.js"
};
static const uint8_t h264_decoder_js[] = {
#embed "page/h264-decoder.js"
};
static const uint8_t icon_svg[] = {
#embed "page/icon.svg"
};
static const uint8_t idle_js[] = {
#embed "page/idle.js"
};
static const uint8_t image_well_js[] = {
#embed "page/image-well.js"
};
static const uint8_t index_html[] = {
#embed "page/index.html"
};
static const uint8_t info_overlay_js[] = {
#embed "page/info-overlay.js"
};
static const uint8_t jpeg_decoder_js[] = {
#embed "page/jpeg-decoder.js"
};
static const uint8_t keyboard_js[] = {
#embed "page/keyboard.js"
};
static const uint8_t launch_chart_js[] = {
#embed "page/launch-chart.js"
};
static const uint8_t layer_swap_js[] = {
#embed "page/layer-swap.js"
};
static const uint8_t library_list_js[] = {
#embed "page/library-list.js"
};
static const uint8_t library_requests_js[] = {
#embed "page/library-requests.js"
};
static const uint8_t machine_panel_js[] = {
#embed "page/machine-panel.js"
};
static const uint8_t main_js[] = {
#embed "page/main.js"
};
static const uint8_t messages_js[] = {
#embed "page/messages.js"
};
static const uint8_t movie_item_js[] = {
#embed "page/movie-item.js"
};
static const uint8_t movie_player_js[] = {
#embed "page/movie-player.js"
};
static const uint8_t movie_thumbnails_js[] = {
#embed "page/movie-thumbnails.js"
};
static const uint8_t movies_panel_js[] = {
#embed "page/movies-panel.js"
};
static const uint8_t notice_js[] = {
#embed "page/notice.js"
};
static const uint8_t page_state_js[] = {
#embed "page/page-state.js"
};
static const uint8_t panel_js[] = {
#embed "page/panel.js"
};
static const uint8_t photo_saver_js[] = {
#embed "page/photo-saver.js"
};
static const uint8_t photo_viewer_js[] = {
#embed "page/photo-viewer.js"
};
static const uint8_t photos_panel_js[] = {
#embed "page/photos-panel.js"
};
static const uint8_t pressure_chart_js[] = {
#embed "page/pressure-chart.js"
};
static const uint8_t preview_canvas_js[] = {
#embed "page/preview-canvas.js"
};
static const uint8_t published_state_js[] = {
#embed "page/published-state.js"
};
static const uint8_t question_js[] = {
#embed "page/question.js"
};
static const uint8_t record_button_js[] = {
#embed "page/record-button.js"
};
static const uint8_t recording_requests_js[] = {
#embed "page/recording-requests.js"
};
static const uint8_t recording_watch_js[] = {
#embed "page/recording-watch.js"
};
static const uint8_t request_queue_js[] = {
#embed "page/request-queue.js"
};
static const uint8_t sentences_js[] = {
#embed "page/sentences.js"
};
static const uint8_t session_state_js[] = {
#embed "page/session-state.js"
};
static const uint8_t shutter_js[] = {
#embed "page/shutter.js"
};
static const uint8_t small_pictures_js[] = {
#embed "page/small-pictures.js"
};
static const uint8_t sound_meters_js[] = {
#embed "page/sound-meters.js"
};
static const uint8_t stage_js[] = {
#embed "page/stage.js"
};
static const uint8_t styles_base_css[] = {
#embed "page/styles/base.css"
};
static const uint8_t styles_panel_css[] = {
#embed "page/styles/panel.css"
};
static const uint8_t styles_recording_css[] = {
#embed "page/styles/recording.css"
};
static const uint8_t styles_viewfinder_css[] = {
#embed "page/styles/viewfinder.css"
};
static const uint8_t theme_js[] = {
#embed "page/theme.js"
};
static const uint8_t tile_js[] = {
#embed "page/tile.js"
};
static const uint8_t tools_js[] = {
#embed "page/tools.js"
};
static const uint8_t viewfinder_stream_js[] = {
#embed "page/viewfinder-stream.js"
};
static const uint8_t wall_js[] = {
#embed "page/wall.js"
};
static const uint8_t wire_bytes_js[] = {
#embed "page/wire-bytes.js"
};
static const uint8_t wire_js[] = {
#embed "page/wire.js"
};
static const uint8_t zoom_js[] = {
#embed "page/zoom.js"
};

static const viewfinder_file files[] = {
    EMBEDDED("/asset-item.js", TEXT("javascript"), asset_item_js),
    EMBEDDED("/camera-panel.js", TEXT("javascript"), camera_panel_js),
    EMBEDDED("/camera-view.js", TEXT("javascript"), camera_view_js),
    EMBEDDED("/connect.js", TEXT("javascript"), connect_js),
    EMBEDDED("/control-field.js", TEXT("javascript"), control_field_js),
    EMBEDDED("/controls-panel.js", TEXT("javascript"), controls_panel_js),
    EMBEDDED("/daemon-clock.js", TEXT("javascript"), daemon_clock_js),
    EMBEDDED("/daemon.js", TEXT("javascript"), daemon_js),
    EMBEDDED("/dom.js", TEXT("javascript"), dom_js),
    EMBEDDED("/everything-else.js", TEXT("javascript"), everything_else_js),
    EMBEDDED("/formats.js", TEXT("javascript"), formats_js),
    EMBEDDED("/generated/messages.js", TEXT("javascript"), generated_messages_js),
    EMBEDDED("/h264-decoder.js", TEXT("javascript"), h264_decoder_js),
    EMBEDDED("/icon.svg", "image/svg+xml", icon_svg),
    EMBEDDED("/idle.js", TEXT("javascript"), idle_js),
    EMBEDDED("/image-well.js", TEXT("javascript"), image_well_js),
    EMBEDDED("/", TEXT("html"), index_html),
    EMBEDDED("/info-overlay.js", TEXT("javascript"), info_overlay_js),
    EMBEDDED("/jpeg-decoder.js", TEXT("javascript"), jpeg_decoder_js),
    EMBEDDED("/keyboard.js", TEXT("javascript"), keyboard_js),
    EMBEDDED("/launch-chart.js", TEXT("javascript"), launch_chart_js),
    EMBEDDED("/layer-swap.js", TEXT("javascript"), layer_swap_js),
    EMBEDDED("/library-list.js", TEXT("javascript"), library_list_js),
    EMBEDDED("/library-requests.js", TEXT("javascript"), library_requests_js),
    EMBEDDED("/machine-panel.js", TEXT("javascript"), machine_panel_js),
    EMBEDDED("/main.js", TEXT("javascript"), main_js),
    EMBEDDED("/messages.js", TEXT("javascript"), messages_js),
    EMBEDDED("/movie-item.js", TEXT("javascript"), movie_item_js),
    EMBEDDED("/movie-player.js", TEXT("javascript"), movie_player_js),
    EMBEDDED("/movie-thumbnails.js", TEXT("javascript"), movie_thumbnails_js),
    EMBEDDED("/movies-panel.js", TEXT("javascript"), movies_panel_js),
    EMBEDDED("/notice.js", TEXT("javascript"), notice_js),
    EMBEDDED("/page-state.js", TEXT("javascript"), page_state_js),
    EMBEDDED("/panel.js", TEXT("javascript"), panel_js),
    EMBEDDED("/photo-saver.js", TEXT("javascript"), photo_saver_js),
    EMBEDDED("/photo-viewer.js", TEXT("javascript"), photo_viewer_js),
    EMBEDDED("/photos-panel.js", TEXT("javascript"), photos_panel_js),
    EMBEDDED("/pressure-chart.js", TEXT("javascript"), pressure_chart_js),
    EMBEDDED("/preview-canvas.js", TEXT("javascript"), preview_canvas_js),
    EMBEDDED("/published-state.js", TEXT("javascript"), published_state_js),
    EMBEDDED("/question.js", TEXT("javascript"), question_js),
    EMBEDDED("/record-button.js", TEXT("javascript"), record_button_js),
    EMBEDDED("/recording-requests.js", TEXT("javascript"), recording_requests_js),
    EMBEDDED("/recording-watch.js", TEXT("javascript"), recording_watch_js),
    EMBEDDED("/request-queue.js", TEXT("javascript"), request_queue_js),
    EMBEDDED("/sentences.js", TEXT("javascript"), sentences_js),
    EMBEDDED("/session-state.js", TEXT("javascript"), session_state_js),
    EMBEDDED("/shutter.js", TEXT("javascript"), shutter_js),
    EMBEDDED("/small-pictures.js", TEXT("javascript"), small_pictures_js),
    EMBEDDED("/sound-meters.js", TEXT("javascript"), sound_meters_js),
    EMBEDDED("/stage.js", TEXT("javascript"), stage_js),
    EMBEDDED("/styles/base.css", TEXT("css"), styles_base_css),
    EMBEDDED("/styles/panel.css", TEXT("css"), styles_panel_css),
    EMBEDDED("/styles/recording.css", TEXT("css"), styles_recording_css),
    EMBEDDED("/styles/viewfinder.css", TEXT("css"), styles_viewfinder_css),
    EMBEDDED("/theme.js", TEXT("javascript"), theme_js),
    EMBEDDED("/tile.js", TEXT("javascript"), tile_js),
    EMBEDDED("/tools.js", TEXT("javascript"), tools_js),
    EMBEDDED("/viewfinder-stream.js", TEXT("javascript"), viewfinder_stream_js),
    EMBEDDED("/wall.js", TEXT("javascript"), wall_js),
    EMBEDDED("/wire-bytes.js", TEXT("javascript"), wire_bytes_js),
    EMBEDDED("/wire.js", TEXT("javascript"), wire_js),
    EMBEDDED("/zoom.js", TEXT("javascript"), zoom_js),
};

const viewfinder_file *_Nonnull const viewfinder_files = files;
const size_t viewfinder_file_count = sizeof files / sizeof files[0];
